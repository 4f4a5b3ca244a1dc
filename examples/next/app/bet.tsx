'use client';
import { postOnce } from 'location-sdk/page';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';

const LOADING = 'One moment. If this text stays, contact support.';

export function Bet() {
  const [stake, setStake] = useState('');
  const [{ text, isBusy }, show] = useState({ text: LOADING, isBusy: true });
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => show({ text: '', isBusy: false }), []); // the script has loaded
  // A disabled button loses the focus.
  useEffect(() => {
    if (!isBusy && text) button.current?.focus();
  }, [isBusy, text]);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    show({ text: 'One moment, please.', isBusy: true });
    const { isOver, message } = await postOnce('/bets', { stake: Number(stake) });
    if (isOver) setStake(''); // the next bet is another one
    show({ text: message, isBusy: false });
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
      <p role="status">{text}</p>
    </form>
  );
}
