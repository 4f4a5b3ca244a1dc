import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from 'preact';

export const Field = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <label>
    <span>{label}</span>
    {children}
  </label>
);

export const InputField = ({
  label,
  ...attributes
}: InputHTMLAttributes<HTMLInputElement> & { readonly label: string }) => (
  <Field label={label}>
    <input autocomplete="off" {...attributes} />
  </Field>
);

interface ChoiceFieldProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  readonly of: readonly (readonly [value: string, words: string])[];
}

export const ChoiceField = ({ label, of, ...attributes }: ChoiceFieldProps) => (
  <Field label={label}>
    <select {...attributes}>
      {of.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  </Field>
);

export const fieldsOf = ({ currentTarget }: SubmitEvent): FormData =>
  new FormData(currentTarget instanceof HTMLFormElement ? currentTarget : undefined);
