import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Bet } from './bet.jsx';
import './style.css';

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <main>
      <h1>Harmattan Stars v Coastal United</h1>
      <Bet />
    </main>
  </StrictMode>,
);
