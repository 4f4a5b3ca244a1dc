import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as sdk from 'location-sdk';
import * as mock from 'location-sdk/mock';
import * as mockNode from 'location-sdk/node';
import { mainJob } from './list.cjs';

test('the main job, imported', async (t) => {
  const other = createRequire(import.meta.url)('location-sdk');
  for (const { name, run } of mainJob({ sdk, other, mock, mockNode })) await t.test(name, run);
});
