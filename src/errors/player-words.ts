/** The texts for a player in English, by situation. `{seconds}` is replaced. */
export const english = {
  'in-doubt': 'We do not know yet whether this went through. Ask again: it cannot count twice.',
  'in-doubt-logged-out': 'We do not know yet whether this went through, and you are logged out. Log in, and ask again.',
  location: 'We could not tell where you are. Allow this site to use your location, and try again.',
  'location-unavailable': 'We cannot tell where you are in this browser. Try another one, or contact support.',
  busy: 'The service is busy. Try again in a minute.',
  'busy-for': 'The service is busy. Try again in {seconds} s.',
  'logged-out': 'You are logged out. Log in, and try again.',
  'reported-before': 'We have received this before. If you cannot find it in your history, contact support.',
  conflict: 'Something else is recorded in its place. Contact support.',
  entries: 'Something is wrong with this entry. Correct it, or contact support.',
  refused: 'This was refused. Contact support.',
  'not-working': 'This does not work at the moment. Contact support.',
  'not-sent': 'This was not sent. Check your connection, and try again.',
  cancelled: 'This was cancelled before it was sent. You can try again.',
};

/** A situation of a player whose report failed. */
export type PlayerSituation = keyof typeof english;

/** The texts for a player, by situation. `{seconds}` is replaced in `'busy-for'`. */
export type PlayerMessages = { readonly [Situation in PlayerSituation]: string };

/** The texts in French. */
export const french: PlayerMessages = {
  'in-doubt': 'Nous ne savons pas encore si l’opération est passée. Redemandez : elle ne peut pas compter deux fois.',
  'in-doubt-logged-out': 'Nous ne savons pas encore si l’opération est passée, et vous êtes déconnecté. Connectez-vous, puis redemandez.',
  location: 'Nous n’avons pas pu savoir où vous êtes. Autorisez ce site à utiliser votre position, puis réessayez.',
  'location-unavailable': 'Ce navigateur ne permet pas de savoir où vous êtes. Essayez-en un autre, ou contactez l’assistance.',
  busy: 'Le service est occupé. Réessayez dans une minute.',
  'busy-for': 'Le service est occupé. Réessayez dans {seconds} s.',
  'logged-out': 'Vous êtes déconnecté. Connectez-vous, puis réessayez.',
  'reported-before': 'Nous avons déjà reçu cette opération. Si elle manque dans votre historique, contactez l’assistance.',
  conflict: 'Une autre opération est enregistrée à sa place. Contactez l’assistance.',
  entries: 'Cette saisie comporte une erreur. Corrigez-la, ou contactez l’assistance.',
  refused: 'L’opération a été refusée. Contactez l’assistance.',
  'not-working': 'Cela ne fonctionne pas pour le moment. Contactez l’assistance.',
  'not-sent': 'L’opération n’a pas été envoyée. Vérifiez votre connexion, puis réessayez.',
  cancelled: 'L’opération a été annulée avant l’envoi. Vous pouvez réessayer.',
};
