import './style.css';

export const metadata = { title: 'Place a bet' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
