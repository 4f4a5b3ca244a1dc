/** @jest-environment jsdom */
const { exports: entries } = require('location-sdk/package.json');

/** An entry that has another file for browsers is for servers alone. */
const isForServers = (name) => typeof entries[name] === 'object' && 'browser' in entries[name];
const names = Object.keys(entries).filter((name) => name !== './package.json');
const own = (name) => `location-sdk${name.slice(1)}`;

test.each(names.filter((name) => !isForServers(name)))('%s loads', (name) => {
  // The types of the script tag have no code.
  expect(Object.keys(require(own(name))).length > 0).toBe(name !== './global');
});

test.each(names.filter((name) => !isForServers(name) && !name.endsWith('.json')))('%s is imported', async (name) => {
  expect(Object.keys(await import(own(name))).length > 0).toBe(name !== './global');
});

test.each(names.filter(isForServers))('%s says that it is for servers', (name) => {
  expect(() => require(own(name))).toThrow('Only a server can use location-sdk/');
});
