import { readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasCode } from '../../../../src/core/errors/errors.js';
import type { ProxyPlatform } from '../../../../src/core/location/server/trusted-proxies.js';
import { type ClientIpFromOptions, clientIpFrom, type IncomingRequest } from '../../../../src/entries/index.js';
import { failureOf } from '../../../support/failure-of.js';
import { listening } from '../../../support/listen.js';

const PLAYER = '102.89.23.45';
const FORGED = '8.8.4.4';

type Lines = string | readonly string[] | undefined;

/** As Node.js shows it: the proxy's address at the socket, names in lower case, lines joined. */
const fromNode = (
  remoteAddress: string | undefined,
  forwardedFor?: Lines,
  more: Record<string, Lines> = {},
): IncomingRequest => ({
  headers: {
    host: 'bets.example.com',
    ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    ...more,
  },
  socket: { remoteAddress },
});

const fromWeb = (headers: Record<string, string> | [string, string][] = {}) =>
  new Request('https://bets.example.com/', { headers });

const PRIVATE: ClientIpFromOptions = { trustedProxies: ['private', 'loopback'] };

describe('without trusted proxies', () => {
  test.each([
    ['of version 4', PLAYER, PLAYER],
    ['of version 6', '2C0F:F248:0::1', '2c0f:f248::1'],
    ['mapped into version 6', `::ffff:${PLAYER}`, PLAYER],
    ['translated into version 6', `64:ff9b::${PLAYER}`, PLAYER],
    ['with a zone', 'fe80::1%eth0', 'fe80::1'],
    ['that is private, which clientIP then explains', '::ffff:10.0.0.1', '10.0.0.1'],
    ['that is missing', undefined, undefined],
    ['that is empty', '', undefined],
    ['that is not an address', 'somewhere', undefined],
  ])('it is the address at the socket: one %s', (_what, remoteAddress, expected) => {
    expect(clientIpFrom(fromNode(remoteAddress))).toBe(expected);
  });

  test.each([
    'x-forwarded-for',
    'X-Forwarded-For',
    'forwarded',
    'x-real-ip',
    'true-client-ip',
    'cf-connecting-ip',
    'x-client-ip',
  ])('the header %s is not trusted', (name) => {
    for (const options of [{}, { trustedProxies: [] }, { trustedProxies: 0 }, { trustedProxies: undefined }]) {
      expect(clientIpFrom(fromNode(PLAYER, undefined, { [name]: FORGED }), options)).toBe(PLAYER);
      expect(clientIpFrom(fromWeb({ [name]: FORGED }), options)).toBeUndefined();
    }
  });

  test('a web Request has no socket, so its address is passed', () => {
    expect(clientIpFrom(fromWeb(), { remoteAddress: PLAYER })).toBe(PLAYER);
    expect(clientIpFrom(fromWeb(), { remoteAddress: undefined })).toBeUndefined();
    expect(clientIpFrom(fromWeb())).toBeUndefined();
  });

  test('a passed address takes precedence over the socket', () => {
    expect(clientIpFrom(fromNode(FORGED), { remoteAddress: PLAYER })).toBe(PLAYER);
  });

  test('req.ip, which other settings decide, is not read', () => {
    expect(clientIpFrom({ ...fromNode(PLAYER), ip: FORGED } as IncomingRequest)).toBe(PLAYER);
  });
});

describe('with named proxies', () => {
  test.each<[string, string | undefined, Lines, string | undefined]>([
    ['the nearest untrusted entry is the player', '10.0.0.1', PLAYER, PLAYER],
    ['entries that the player wrote are further left', '10.0.0.1', `${FORGED}, ${PLAYER}`, PLAYER],
    ['a forged private address is not reached', '10.0.0.1', `10.9.9.9, ${PLAYER}`, PLAYER],
    ['trusted entries are skipped', '127.0.0.1', `${FORGED}, ${PLAYER}, 10.0.0.2, 192.168.1.1`, PLAYER],
    ['a dual-stack socket shows a mapped address', '::ffff:10.0.0.1', PLAYER, PLAYER],
    ['a socket that is not a proxy is the player', PLAYER, FORGED, PLAYER],
    ['a port is removed', '10.0.0.1', `${PLAYER}:51234`, PLAYER],
    ['brackets and a port are removed', '10.0.0.1', '[2c0f:f248::1]:443', '2c0f:f248::1'],
    ['brackets are removed', '10.0.0.1', '[2c0f:f248::1]', '2c0f:f248::1'],
    ['a mapped entry is unmapped', '10.0.0.1', `::ffff:${PLAYER}`, PLAYER],
    ['tabs and spaces are ignored', '10.0.0.1', ` \t${PLAYER} \t`, PLAYER],
    ['several lines are read in order', '10.0.0.1', [FORGED, `1.1.1.1,${PLAYER}`, '10.0.0.2'], PLAYER],
    ['a proxy that is not trusted counts as the player', '10.0.0.1', `${PLAYER}, 9.9.9.9`, '9.9.9.9'],
    ['a private address beyond the trusted ones is explained by clientIP', '127.0.0.1', '100.64.0.7', '100.64.0.7'],
    ['no header: only a proxy is known', '10.0.0.1', undefined, undefined],
    ['an empty header: only a proxy is known', '10.0.0.1', '', undefined],
    ["only proxies: no player's address is known", '10.0.0.1', '10.0.0.2, 10.0.0.3', undefined],
    ['an unknown socket is not a proxy', undefined, PLAYER, undefined],
  ])('%s', (_what, remoteAddress, forwardedFor, expected) => {
    expect(clientIpFrom(fromNode(remoteAddress, forwardedFor), PRIVATE)).toBe(expected);
  });

  test.each([
    'unknown',
    '_hidden',
    'for=1.1.1.1',
    `for=${PLAYER}`,
    `"${PLAYER}"`,
    '',
    ' ',
    'localhost',
    '0102.89.23.45',
    '102.89.23',
    '1717114669',
    `${PLAYER}:`,
    `${PLAYER}:99999`,
    `${PLAYER}:123456`,
    '2c0f:f248::1%eth0',
    '8.8.8.8%eth0',
    '[2c0f:f248::1',
    '2c0f:f248::1]:80',
    `[${PLAYER}]:80`,
    '[]',
    `${PLAYER}/32`,
    `${PLAYER} ${PLAYER}`,
    `${PLAYER}\n`,
    'x'.repeat(1_000_000),
    `${' '.repeat(1_000_000)}${PLAYER}`,
  ])('%j in place of an address: no address is known, and no entry further left is trusted', (entry) => {
    expect(clientIpFrom(fromNode('10.0.0.1', `${FORGED},${entry}`), PRIVATE)).toBeUndefined();
    expect(clientIpFrom(fromNode('10.0.0.1', `${FORGED},${entry},10.0.0.2`), PRIVATE)).toBeUndefined();
  });

  test('ranges, single addresses and both versions may be named', () => {
    const options = {
      trustedProxies: ['102.88.0.0/16', '9.9.9.9', '2c0f:f248::/32', '::ffff:41.0.0.0/104', 'link-local'],
    };
    for (const proxy of [
      '102.88.1.1',
      '9.9.9.9',
      '2c0f:f248:1::1',
      '41.7.7.7',
      '169.254.1.1',
      'fe80::1%eth0',
      '::ffff:9.9.9.9',
    ]) {
      expect(clientIpFrom(fromNode(proxy, `${FORGED}, ${PLAYER}`), options), proxy).toBe(PLAYER);
    }
    for (const stranger of ['102.90.1.1', '9.9.9.10', '2c0f:f249::1', '42.7.7.7'])
      expect(clientIpFrom(fromNode(stranger, FORGED), options)).toBe(stranger);
  });

  test('a web Request is read with the address that is passed', () => {
    const request = fromWeb([
      ['X-Forwarded-For', FORGED],
      ['x-forwarded-FOR', PLAYER],
    ]);
    expect(clientIpFrom(request, { ...PRIVATE, remoteAddress: '10.0.0.1' })).toBe(PLAYER);
    expect(clientIpFrom(request, { ...PRIVATE, remoteAddress: PLAYER })).toBe(PLAYER);
    expect(clientIpFrom(request, PRIVATE)).toBeUndefined();
  });

  test('for any header of a player, the address is the one that the nearest proxy saw', () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('10.0.0.9', '127.0.0.1', 'unknown', '', PLAYER),
      fc.string(),
    );
    const chain = fc.array(fc.constantFrom('10.0.0.2', '192.168.7.7', '::1', 'fc00::1', '172.16.0.1:80'), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), chain, (forged, proxies) => {
        const forwardedFor = [...forged, PLAYER, ...proxies].join(', ');
        expect(clientIpFrom(fromNode('10.0.0.1', forwardedFor), PRIVATE)).toBe(PLAYER);
        expect(clientIpFrom(fromNode('10.0.0.1', [forged.join(','), [PLAYER, ...proxies].join(',')]), PRIVATE)).toBe(
          PLAYER,
        );
        expect(
          clientIpFrom(fromNode('10.0.0.1', [PLAYER, ...proxies].join(',')), { trustedProxies: proxies.length + 1 }),
        ).toBe(PLAYER);
      }),
    );
  });
});

describe('with a number of proxies', () => {
  test.each([
    [1, 'a, b, PLAYER'],
    [2, 'a, PLAYER, 10.0.0.2'],
    [3, 'PLAYER, 10.0.0.3, 10.0.0.2'],
    [1, 'PLAYER'],
    [1, '10.0.0.9, PLAYER:443'],
  ])('of %i it is the entry at that place from the right, as with Express: %s', (trustedProxies, header) => {
    const forwardedFor = header.replace('PLAYER', PLAYER);
    expect(clientIpFrom(fromNode('10.0.0.1', forwardedFor), { trustedProxies })).toBe(PLAYER);
    expect(clientIpFrom(fromWeb({ 'x-forwarded-for': forwardedFor }), { trustedProxies })).toBe(PLAYER);
  });

  test.each([
    [1, undefined],
    [1, ''],
    [2, PLAYER],
    [3, `${PLAYER}, 10.0.0.2`],
    [2, `${PLAYER}, `],
    [2, `${PLAYER}, unknown`],
    [1, `${PLAYER}, garbage`],
    [32, PLAYER],
  ])(
    'of %i a header that is too short or contains something else gives no address: %s',
    (trustedProxies, forwardedFor) => {
      expect(clientIpFrom(fromNode(FORGED, forwardedFor), { trustedProxies })).toBeUndefined();
    },
  );
});

describe('with a platform', () => {
  const HEADERS = [
    ['cloudflare', 'CF-Connecting-IP'],
    ['fly', 'Fly-Client-IP'],
    ['netlify', 'X-NF-Client-Connection-IP'],
    ['vercel', 'X-Vercel-Forwarded-For'],
    ['azure-front-door', 'X-Azure-SocketIP'],
  ] as const;

  test.each(HEADERS)('%s: the header %s, and no other', (trustedProxies, name) => {
    const others = { 'x-forwarded-for': FORGED, 'x-real-ip': FORGED, 'x-azure-clientip': FORGED };
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(clientIpFrom(fromNode('10.0.0.1', undefined, { ...others, [written]: PLAYER }), { trustedProxies })).toBe(
        PLAYER,
      );
      expect(clientIpFrom(fromWeb({ ...others, [written]: PLAYER }), { trustedProxies })).toBe(PLAYER);
    }
    expect(clientIpFrom(fromNode(FORGED, undefined, others), { trustedProxies })).toBeUndefined();
    expect(clientIpFrom(fromWeb(others), { trustedProxies, remoteAddress: FORGED })).toBeUndefined();
  });

  test.each(HEADERS)('%s: %s given twice gives no address', (trustedProxies, name) => {
    const key = name.toLowerCase();
    for (const value of [`${FORGED}, ${PLAYER}`, [FORGED, PLAYER], [PLAYER, PLAYER]]) {
      expect(clientIpFrom(fromNode('10.0.0.1', undefined, { [key]: value }), { trustedProxies })).toBeUndefined();
    }
    const twice: [string, string][] = [
      [name, FORGED],
      [key, PLAYER],
    ];
    expect(clientIpFrom(fromWeb(twice), { trustedProxies })).toBeUndefined();
  });

  const APPENDING: [ProxyPlatform, string][] = [
    ['aws-alb', PLAYER],
    ['aws-cloudfront', PLAYER],
    ['azure-app-service', `${PLAYER}:51234`],
    ['azure-application-gateway', `${PLAYER}:51234`],
    ['google-cloud-load-balancer', `${PLAYER}, 34.120.0.1`],
    ['heroku', PLAYER],
  ];

  test.each(APPENDING)('%s: the entry that it appends to X-Forwarded-For, here %s', (trustedProxies, appended) => {
    const rawHeaders = (value: string) => ['Host', 'bets.example.com', 'X-Forwarded-For', value];
    for (const forged of ['', `${FORGED}, `, `${FORGED},10.0.0.1, unknown,,`]) {
      const value = forged + appended;
      expect(clientIpFrom({ ...fromNode('10.0.0.1', value), rawHeaders: rawHeaders(value) }, { trustedProxies })).toBe(
        PLAYER,
      );
    }
    expect(clientIpFrom(fromWeb({ 'x-forwarded-for': appended }), { trustedProxies })).toBe(PLAYER);
    expect(clientIpFrom(fromNode(FORGED), { trustedProxies })).toBeUndefined();
  });

  test.each(APPENDING)(
    '%s: a second line, which only a visitor can have sent, gives no address',
    (trustedProxies, appended) => {
      const rawHeaders = ['X-Forwarded-For', `1.1.1.1, ${appended}`, 'x-forwarded-for', FORGED];
      expect(
        clientIpFrom({ ...fromNode('10.0.0.1', `1.1.1.1, ${appended}, ${FORGED}`), rawHeaders }, { trustedProxies }),
      ).toBeUndefined();
      expect(clientIpFrom(fromNode('10.0.0.1', [`1.1.1.1, ${appended}`, FORGED]), { trustedProxies })).toBeUndefined();
    },
  );

  test('heroku: if the lines can no longer be distinguished, several entries give no address, as the guide says', () => {
    const [row = ''] = /^- `'heroku'`:.*$/m.exec(readFileSync('docs/how-to/location.md', 'utf8')) ?? [];
    expect(row).toMatch(/in one line \(`rawHeaders`\).*a second entry gives undefined/);
    const value = `${FORGED}, ${PLAYER}`;
    expect(
      clientIpFrom(
        { ...fromNode('10.0.0.1', value), rawHeaders: ['X-Forwarded-For', value] },
        { trustedProxies: 'heroku' },
      ),
    ).toBe(PLAYER);
    expect(clientIpFrom(fromWeb({ 'x-forwarded-for': value }), { trustedProxies: 'heroku' })).toBeUndefined();
    expect(clientIpFrom(fromWeb({ 'x-forwarded-for': PLAYER }), { trustedProxies: 'heroku' })).toBe(PLAYER);
    expect(
      clientIpFrom(fromWeb({ 'x-forwarded-for': `1.1.1.1, ${PLAYER}, ${FORGED}` }), { trustedProxies: 'heroku' }),
    ).toBeUndefined();
  });
});

describe('a hostile request', () => {
  test('of 10,000 entries is read from the right only', () => {
    const many = Array<string>(10_000).fill(FORGED).join(',');
    expect(clientIpFrom(fromNode('10.0.0.1', `${many}, ${PLAYER}`), PRIVATE)).toBe(PLAYER);
    expect(clientIpFrom(fromNode('10.0.0.1', `${many}, ${PLAYER}`), { trustedProxies: 1 })).toBe(PLAYER);
  });

  test('of endless trusted entries is not followed to its end', () => {
    expect(
      clientIpFrom(fromNode('10.0.0.1', `${PLAYER},${'10.0.0.2,'.repeat(100_000)}10.0.0.2`), PRIVATE),
    ).toBeUndefined();
    expect(clientIpFrom(fromNode('10.0.0.1', ','.repeat(1_000_000)), PRIVATE)).toBeUndefined();
    expect(clientIpFrom(fromNode('10.0.0.1', ','.repeat(1_000_000)), { trustedProxies: 32 })).toBeUndefined();
  });

  test('with the same name in two spellings gives no address, since their order is unknown', () => {
    const headers = { 'x-forwarded-for': PLAYER, 'X-Forwarded-For': FORGED };
    expect(clientIpFrom({ headers, socket: { remoteAddress: '10.0.0.1' } }, PRIVATE)).toBeUndefined();
    expect(clientIpFrom({ headers, socket: { remoteAddress: '10.0.0.1' } }, { trustedProxies: 1 })).toBeUndefined();
  });

  test('with headers named get, constructor or __proto__ is read like any other', () => {
    const headers = JSON.parse(
      `{"get": "${FORGED}", "constructor": "x", "__proto__": {"x-forwarded-for": "${FORGED}"}, "x-forwarded-for": "${PLAYER}"}`,
    );
    expect(clientIpFrom({ headers, socket: { remoteAddress: '10.0.0.1' } }, PRIVATE)).toBe(PLAYER);
  });

  test('inherits no header', () => {
    const headers = Object.create({ 'x-forwarded-for': FORGED, 'cf-connecting-ip': FORGED });
    for (const trustedProxies of [1, 'cloudflare', ['private']] as const) {
      expect(clientIpFrom({ headers, socket: { remoteAddress: '10.0.0.1' } }, { trustedProxies })).toBeUndefined();
    }
  });

  test.each([
    ['no headers', {}],
    ['headers of null', { headers: null, socket: { remoteAddress: '10.0.0.1' } }],
    ['numbers', { headers: { 'x-forwarded-for': 7 }, socket: { remoteAddress: '10.0.0.1' } }],
    ['a list of numbers', { headers: { 'x-forwarded-for': [7] }, socket: { remoteAddress: '10.0.0.1' } }],
    ['a get that returns a number', { headers: { get: () => 7 }, socket: { remoteAddress: '10.0.0.1' } }],
    [
      'a get that throws',
      {
        headers: {
          get() {
            throw new Error('no');
          },
        },
        socket: { remoteAddress: '10.0.0.1' },
      },
    ],
    ['a number at the socket', { headers: {}, socket: { remoteAddress: 7 } }],
  ])('of %s does not throw', (_what, request) => {
    for (const trustedProxies of [undefined, 1, 'cloudflare', 'heroku', ['private']] as const) {
      const expected =
        trustedProxies === undefined &&
        (request as { socket?: { remoteAddress?: unknown } } | null)?.socket?.remoteAddress === '10.0.0.1';
      expect(clientIpFrom(request as never, { trustedProxies })).toBe(expected ? '10.0.0.1' : undefined);
    }
  });
});

test.each([undefined, null, 'GET /'])('%s is not a request, and the error says so', async (request) => {
  const error = await failureOf(() => clientIpFrom(request as never));
  expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining('must be a request') });
});

test('a proxy behind a translator is recognised', () => {
  const request = { headers: { 'x-forwarded-for': '102.89.23.45' }, socket: { remoteAddress: '64:ff9b::c629:8005' } };
  expect(clientIpFrom(request, { trustedProxies: ['198.41.128.5'] })).toBe('102.89.23.45');
});

describe('wrong options', () => {
  test.each<[string, unknown, RegExp]>([
    ['a misspelt platform', 'cloudfare', /trustedProxies: is not a known platform; did you mean 'cloudflare'\?/],
    ['a group outside of a list', 'loopback', /given as a list: \['loopback'\]/],
    ['a platform in a list', ['cloudflare'], /trustedProxies\.0: a platform is passed alone/],
    ['true', true, /true would trust any header that a player writes/],
    ['null', null, /expected a list of proxies, the number of proxies, or a platform/],
    ['a negative count', -1, /whole number from 0 to 32/],
    ['half a proxy', 1.5, /whole number/],
    ['not a number', Number.NaN, /whole number/],
    ['too many', 33, /whole number from 0 to 32/],
    ['a name', ['proxy.example.com'], /trustedProxies\.0: is not an address or a range/],
    ["Express's group", ['uniquelocal'], /Express's 'uniquelocal' is 'private' here/],
    ['a misspelt group', ['linklocal'], /did you mean 'link-local'\?/],
    ['everybody', ['0.0.0.0/0'], /contains every address/],
    ['all addresses of version 6', ['::/0'], /contains every address/],
    ['bits beyond the prefix', ['10.1.2.3/8'], /bits set beyond its prefix/],
    ['too long a prefix', ['10.0.0.0/33'], /more than 32 bits/],
    ['too long a prefix of version 6', ['fc00::/129'], /more than 128 bits/],
    ['half a range', ['10.0.0.0/'], /is not an address or a range/],
    ['an octal range', ['010.0.0.0/8'], /is not an address or a range/],
    ['a number in a list', [10], /trustedProxies\.0: expected an address/],
    ['a name of every object', 'constructor', /is not a known platform/],
    ['a name of every object in a list', ['__proto__'], /is not an address/],
  ])('%s is a configuration error', async (_what, trustedProxies, message) => {
    const error = await failureOf(() => clientIpFrom(fromNode(PLAYER), { trustedProxies } as never));
    expect(hasCode(error, 'configuration')).toBe(true);
    expect(error.message).toMatch(message);
  });

  test('every problem is listed at once, and no address is repeated', async () => {
    const error = await failureOf(() =>
      clientIpFrom(fromNode(PLAYER), { trustedProxies: ['10.20.30.40/8', '203.0.113.7x'], trustedProxy: 1 } as never),
    );
    expect(error.message).toMatch(/3 problems:/);
    expect(error.message).toMatch(/trustedProxy: unknown field trustedProxy; remove it/);
    expect(JSON.stringify(error)).not.toMatch(/10\.20|203\.0/);
  });

  test.each([null, 1, 'cloudflare'])('options of %j are refused', async (options) => {
    expect(hasCode(await failureOf(() => clientIpFrom(fromNode(PLAYER), options as never)), 'configuration')).toBe(
      true,
    );
  });

  test('a property on the prototype of options is not an option', () => {
    expect(clientIpFrom(fromNode(PLAYER, FORGED), Object.create({ trustedProxies: 1, remoteAddress: FORGED }))).toBe(
      PLAYER,
    );
  });
});

test('a request of Node.js is read as it arrives, its headers in any spelling and in several lines', async () => {
  const found: unknown[] = [];
  const server = createServer((request, response) => {
    found.push(clientIpFrom(request), clientIpFrom(request, { trustedProxies: ['loopback'] }));
    found.push(clientIpFrom(request, { trustedProxies: 1 }), clientIpFrom(request, { trustedProxies: 'heroku' }));
    response.end();
  });
  const port = await listening(server);
  await new Promise((resolve, reject) => {
    const headers = { 'X-FORWARDED-FOR': [`${PLAYER}`, FORGED] };
    send({ port, host: '127.0.0.1', headers }, resolve).on('error', reject).end();
  });
  expect(found).toEqual(['127.0.0.1', FORGED, FORGED, undefined]);
});
