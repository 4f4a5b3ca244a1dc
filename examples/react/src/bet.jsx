import { useEffect, useRef, useState } from 'react';
import { placeBet } from './place-bet.js';

export function Bet() {
  const [stake, setStake] = useState('');
  const [{ words, isBusy }, setState] = useState({ words: '', isBusy: false });
  const button = useRef(null);
  // A disabled button loses the focus.
  useEffect(() => {
    if (!isBusy && words) button.current.focus();
  }, [isBusy, words]);

  async function submit(event) {
    event.preventDefault();
    setState({ words: 'One moment, please.', isBusy: true });
    const placed = await placeBet({ stake: Number(stake) });
    if (placed.isPlaced) setStake(''); // the next bet is another one
    setState({ words: placed.words, isBusy: false });
  }
  return (
    <form onSubmit={submit} autoComplete="off">
      <p>Each bet is reported with the place it was made from, so your browser may ask for your location.</p>
      <fieldset disabled={isBusy}>
        <label>
          Stake <input type="number" min="1" required value={stake} onChange={({ target }) => setStake(target.value)} />
        </label>
        <button type="submit" ref={button}>
          Place the bet
        </button>
      </fieldset>
      <p role="status">{words}</p>
    </form>
  );
}
