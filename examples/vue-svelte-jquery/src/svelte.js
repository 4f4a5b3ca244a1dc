import { mount } from 'svelte';
import Bet from './bet.svelte';

const target = document.querySelector('#slip');
target.textContent = ''; // the text for a script that does not load
mount(Bet, { target });
