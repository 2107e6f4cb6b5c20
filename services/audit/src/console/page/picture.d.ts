/** Types of the browser's module for specs: the compiler reads no JavaScript here, and has no types of a page. */
export function visible(text: string): string;
export function element(
  name: string,
  attributes?: Readonly<Record<string, string>>,
  ...children: readonly string[]
): object;
