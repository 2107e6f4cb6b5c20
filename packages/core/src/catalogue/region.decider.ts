import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { parseName } from "../kernel/values.ts";
import type { AddRegion } from "./catalogue.commands.ts";
import type { RegionEvent } from "./catalogue.events.ts";

export interface Region {
  readonly regionId: number;
  /** Short code, for example `fsn`. */
  readonly code: string;
  readonly location: string;
}

export type RegionState = { readonly status: "absent" } | ({ readonly status: "open" } & Region);

export const regionLimits = { code: 20, location: 100 } as const;

/** Rules of a region (stream `region-<id>`). */
export const region: Decider<AddRegion, RegionState, RegionEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

function decide({ data }: AddRegion, state: RegionState): Decision<RegionEvent> {
  const { regionId, at } = data;
  // Ids are never reused, so only a repeat of this command finds the region.
  if (state.status === "open") return accept();
  const code = parseName(data.code, regionLimits.code);
  const location = parseName(data.location, regionLimits.location);
  if (!code.ok || !location.ok) {
    return reject("validation-failed", "The region's names are out of range.", {
      fieldErrors: {
        ...(code.ok ? {} : { code: [code.error] }),
        ...(location.ok ? {} : { location: [location.error] }),
      },
    });
  }
  return accept({
    type: "RegionAdded",
    data: { regionId, code: code.value, location: location.value, addedAt: at },
  });
}

function evolve(state: RegionState, event: RegionEvent): RegionState {
  if (state.status !== "absent") throw new CorruptStreamError(event.type, state.status);
  const { regionId, code, location } = event.data;
  return { status: "open", regionId, code, location };
}
