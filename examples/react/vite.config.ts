import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// In development Vite serves the page and forwards the backend's route.
const backend = process.env.BACKEND ?? 'http://localhost:3000';

export default defineConfig({
  plugins: [react()],
  build: { target: ['chrome80', 'safari14', 'firefox78'] }, // older phones read no newer syntax
  server: { proxy: { '/bets': backend } },
});
