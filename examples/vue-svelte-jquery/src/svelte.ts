import { mount } from 'svelte';
import Bet from './bet.svelte';

const target = document.querySelector('#slip');
if (target) mount(Bet, { target });
target?.firstChild?.remove(); // the text for a script that does not run
