import type { NextConfig } from 'next';

export default {
  // They load their database library at run time, which a bundle cannot.
  serverExternalPackages: ['location-sdk', '@photostructure/sqlite'],
} satisfies NextConfig;
