import theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import Source from './source.js';
import './style.css';

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { 'doc-footer-before': () => h(Source) }),
};
