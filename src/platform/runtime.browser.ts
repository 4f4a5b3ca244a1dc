/** In the script-tag file there is no question of where it runs. */
export const isBrowser = () => true;
