const { test } = require('node:test');
const sdk = require('location-sdk');
const mock = require('location-sdk/mock');
const mockNode = require('location-sdk/node');
const { mainJob } = require('./list.cjs');

test('the main job, required', async (t) => {
  const other = await import('location-sdk');
  for (const { name, run } of mainJob({ sdk, other, mock, mockNode })) await t.test(name, run);
});
