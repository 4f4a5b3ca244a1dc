import { createClient, playerMessage } from 'location-sdk/page';

const client = createClient({ relayUrl: '/relay' });

document.body.innerHTML = '<button>Bet</button> <p role="status"></p>';
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');
button.addEventListener('click', async () => {
  button.disabled = true;
  try {
    await client.reportBetEvent({ bet_id: 'B-1', amount: 1500 });
    status.textContent = 'Recorded';
  } catch (error) {
    status.textContent = playerMessage(error).text;
  }
  button.disabled = false;
});
