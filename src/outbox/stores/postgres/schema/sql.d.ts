/** A file of SQL as text: vitest loads it so, and the bundles contain it. */
declare module '*.sql?raw' {
  const text: string;
  export default text;
}
