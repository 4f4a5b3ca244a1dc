import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// In development Vite serves the page and forwards the backend's routes. `changeOrigin: false` keeps the Host that the
// browser requested. With the short form, or with true, the relay would take the page for another site's and answer
// 403.
const backend = { target: process.env.BACKEND ?? 'http://localhost:3000', changeOrigin: false };

export default defineConfig({ plugins: [react()], server: { proxy: { '/relay': backend, '/bets': backend } } });
