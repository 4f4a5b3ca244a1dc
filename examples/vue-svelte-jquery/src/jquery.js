import $ from 'jquery';
import { placeBet } from './place-bet.js';

const form = $('form');

function show(words, isBusy) {
  form.find('[role=status]').text(words);
  form.find('fieldset').prop('disabled', isBusy);
}

form.on('submit', async (event) => {
  event.preventDefault();
  const stake = form.find('input');
  const bet = { stake: Number(stake.val()) };
  show('One moment, please.', true);
  const { isPlaced, words } = await placeBet(bet);
  if (isPlaced) stake.val(''); // the next bet is another one
  show(words, false);
  form.find('button').trigger('focus'); // a disabled button loses the focus
});
