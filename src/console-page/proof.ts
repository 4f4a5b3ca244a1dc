import { createReconcile } from './reconcile.js';
import { createVerify } from './verify.js';
import { type Page, type View, viewElement } from './view.js';

/** Proof for those who ask whether all was reported. */
export function createProof(page: Page): View {
  const verify = createVerify();
  const reconcile = createReconcile(page);
  return {
    title: 'Proof',
    element: viewElement('Proof', verify.element, reconcile.element),
    async update(overview) {
      reconcile.know(overview);
      await verify.update();
    },
    close() {
      verify.close();
      reconcile.close();
    },
  };
}
