/** A page looks its own address up: `clientIP` is refused before anybody asks what it says. */
export const clientIpProblem = () => undefined;
