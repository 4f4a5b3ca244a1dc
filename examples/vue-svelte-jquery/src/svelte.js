import { mount } from 'svelte';
import Bet from './bet.svelte';

mount(Bet, { target: document.querySelector('#slip') });
