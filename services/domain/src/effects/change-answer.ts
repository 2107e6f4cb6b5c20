import type { RegisteredDomain, Rejection, SettledChange } from "@hostledger/core";
import type { Position } from "@hostledger/store";

/** What a request is answered. */
export type ChangeAnswer =
  /** `position`, where something was recorded all the same, to be read before the refusal is told. */
  | { readonly kind: "refused"; readonly rejection: Rejection; readonly position?: Position }
  /** `settled` is absent where the change asked for what was so already. */
  | {
      readonly kind: "done";
      readonly domain: RegisteredDomain;
      readonly settled: SettledChange | undefined;
      readonly position: Position | undefined;
    };
