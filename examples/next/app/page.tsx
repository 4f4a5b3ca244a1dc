import { Bet } from './bet';

export default function Page() {
  return (
    <main>
      <h1>Harmattan Stars v Coastal United</h1>
      <Bet />
    </main>
  );
}
