import { Bet } from './bet.jsx';

export default function Page() {
  return (
    <main>
      <h1>Harmattan Stars v Coastal United</h1>
      <Bet />
    </main>
  );
}
