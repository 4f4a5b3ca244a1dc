// Bundles an app for Android as `react-native bundle` does: node bundle.js <entry> <file> [hermes]
const { join } = require('node:path');
const Metro = require('metro');
const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config');

async function main(entry, out, ...flags) {
  const resolver = {
    resolveRequest: (context, name, platform) =>
      name === 'expo' || name === 'expo-modules-core'
        ? { type: 'sourceFile', filePath: join(__dirname, 'expo.js') }
        : context.resolveRequest(context, name, platform),
  };
  // Instead of all that React Native sets up, much of it for the screen: setup.js.
  const serializer = { getModulesRunBeforeMainModule: () => [] };
  const own = mergeConfig(getDefaultConfig(__dirname), { resolver, serializer });
  const config = await Metro.loadConfig({ cwd: __dirname }, own);
  await Metro.runBuild(config, {
    entry,
    out,
    platform: 'android',
    dev: false,
    minify: flags.includes('minify'),
    unstable_transformProfile: flags.includes('hermes') ? 'hermes-stable' : 'default',
  });
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
