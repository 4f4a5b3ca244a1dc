import { postOnce } from 'location-sdk/page';

document.body.innerHTML = '<button>Bet</button> <p role="status"></p>';
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');
button.addEventListener('click', async () => {
  button.disabled = true;
  const { message } = await postOnce('/bets', { stake: 1500 });
  status.textContent = message;
  button.disabled = false;
});
