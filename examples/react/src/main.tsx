import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Bet } from './bet';
import './style.css';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Bet />
    </StrictMode>,
  );
