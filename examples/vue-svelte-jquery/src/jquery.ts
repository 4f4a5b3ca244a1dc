import $ from 'jquery';
import { postOnce } from 'location-sdk/page';

const form = $('form');

function show(text: string, isBusy: boolean) {
  form.find('[role=status]').text(text);
  form.find('fieldset').prop('disabled', isBusy);
}

form.on('submit', async (event) => {
  event.preventDefault();
  const stake = form.find('input');
  show('One moment, please.', true);
  const { isOver, message } = await postOnce('/bets', { stake: Number(stake.val()) });
  if (isOver) stake.val(''); // the next bet is another one
  show(message, false);
  form.find('button').trigger('focus'); // a disabled button loses the focus
});
show('', false); // until the script has loaded, the page shows another text
