import { useData } from 'vitepress';
import { h } from 'vue';

/** Under each page: the file to edit. A link where package.json names a repository, else its path in the package. */
export default {
  setup() {
    const { frontmatter } = useData();
    return () => {
      const { source, editUrl } = frontmatter.value;
      if (!source) return null;
      return h(
        'p',
        { class: 'source' },
        editUrl ? h('a', { href: editUrl }, 'Edit this page') : ['Edit this page: ', h('code', source)],
      );
    };
  },
};
