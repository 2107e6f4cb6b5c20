import type { ServerOrder } from "../compute/compute.port.ts";
import type { RegistrationOrder, RenewalOrder, TransferOrder } from "../registrar/registrar.port.ts";

/** An order that the registrar carries out late. */
export type LateRegistrarOrder =
  | { readonly kind: "registration"; readonly order: RegistrationOrder }
  | { readonly kind: "renewal" | "restoration"; readonly order: RenewalOrder }
  | { readonly kind: "transfer"; readonly order: TransferOrder };

/** Reads what was taken down for the registrar. The text comes from our own file: its shape is taken for granted. */
export function decodeLateRegistrarOrder(text: string): LateRegistrarOrder {
  return JSON.parse(text) as LateRegistrarOrder;
}

/** Reads what was taken down for the compute provider, from our own file too. */
export function decodeLateServerOrder(text: string): ServerOrder {
  return JSON.parse(text) as ServerOrder;
}
