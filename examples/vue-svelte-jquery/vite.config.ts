import { svelte } from '@sveltejs/vite-plugin-svelte';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

// In development Vite serves the pages and forwards the backend's route.
const backend = process.env.BACKEND ?? 'http://localhost:3000';

export default defineConfig({
  plugins: [vue(), svelte()],
  build: {
    target: ['chrome80', 'safari14', 'firefox78'], // older phones read no newer syntax
    rollupOptions: { input: ['vue.html', 'svelte.html', 'jquery.html'] },
  },
  server: { proxy: { '/bets': backend } },
});
