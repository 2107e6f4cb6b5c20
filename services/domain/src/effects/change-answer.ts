import type { RegisteredDomain, Rejection, SettledChange } from "@hostledger/core";
import type { Position } from "@hostledger/store";

export type ChangeAnswer =
  /** `position` is set if events were stored before the refusal; the request must read them first. */
  | { readonly kind: "refused"; readonly rejection: Rejection; readonly position?: Position }
  /** `settled` is absent where the change asked for what was so already. */
  | {
      readonly kind: "done";
      readonly domain: RegisteredDomain;
      readonly settled: SettledChange | undefined;
      readonly position: Position | undefined;
    };
