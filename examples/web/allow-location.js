// How a player allows the location again, with the steps for each browser: a page cannot ask again after a denial.

/** @type {readonly { browser: string, is: RegExp, steps: readonly string[] }[]} The first that matches is the player's own. */
const WAYS = [
  {
    browser: 'Safari on iPhone and iPad',
    is: /iPhone|iPad/,
    steps: [
      'Open Settings, then Privacy & Security, Location Services. Switch it on, and set Safari Websites to "While Using the App".',
      'In Safari, press the page menu beside the address, then Website Settings, Location, and choose Allow.',
    ],
  },
  {
    browser: 'Samsung Internet',
    is: /SamsungBrowser/,
    steps: [
      'Switch on Location in the settings of your phone.',
      'Press the padlock beside the address, then Permissions, Location, and choose Allow.',
    ],
  },
  {
    browser: 'Firefox on Android',
    is: /Android.*Firefox/,
    steps: [
      'Switch on Location in the settings of your phone.',
      'Press the padlock beside the address, and press Location until it says Allowed.',
    ],
  },
  {
    browser: 'Chrome on Android',
    is: /Android/,
    steps: [
      'Switch on Location in the settings of your phone.',
      'Press the icon beside the address, then Permissions, Location, and switch it on.',
    ],
  },
  {
    browser: 'Firefox',
    is: /Firefox/,
    steps: [
      'Press the location icon beside the address, and remove "Blocked" by pressing its ×.',
      'Press the button again, and choose Allow.',
    ],
  },
  {
    browser: 'Edge',
    is: /Edg\//,
    steps: ['Press the padlock beside the address, then Permissions for this site.', 'Set Location to Allow.'],
  },
  {
    browser: 'Chrome',
    is: /Chrome/,
    steps: [
      'Press the icon beside the address, then Site settings if you see no switch.',
      'Switch Location on, or set it to Allow.',
    ],
  },
  {
    browser: 'Safari on a Mac',
    is: /Macintosh.*Safari/,
    steps: [
      'Open System Settings, then Privacy & Security, Location Services, and switch Safari on.',
      'In Safari, open the menu Safari, then Settings for this website, and set Location to Allow.',
    ],
  },
];

/** The steps for all browsers, with this browser's first. */
export function waysToAllow(userAgent = navigator.userAgent) {
  const own = WAYS.find(({ is }) => is.test(userAgent));
  return { own, others: WAYS.filter((way) => way !== own) };
}
