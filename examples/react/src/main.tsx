import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Bet } from './bet.jsx';
import './style.css';

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <Bet />
  </StrictMode>,
);
