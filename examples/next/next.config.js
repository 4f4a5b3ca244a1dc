/** @type {import('next').NextConfig} */
export default {
  // They load their database library when it is needed, which a bundle cannot.
  serverExternalPackages: ['location-sdk', 'libsql'],
};
