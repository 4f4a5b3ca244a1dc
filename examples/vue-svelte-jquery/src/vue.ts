import { createApp } from 'vue';
import Bet from './bet.vue';

createApp(Bet).mount('#slip');
