/** Types of the browser's module, for specs and for the page's other modules. */
export function visible(text: string): string;
export function element(
  name: string,
  attributes?: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElement;
export function euros(cents?: string | number): string;
export function balanceChart(movements: readonly unknown[], shown: number): SVGElement;
export function stepsPicture(steps: readonly unknown[]): SVGElement;
