import { z } from "zod";

import { euroAmount, id, shownText } from "./values.schema.ts";

/** A plan (specification §2.5). */
export const plan = z
  .object({
    id,
    cores: z
      .int()
      .nonnegative()
      .meta({ examples: [4] }),
    price: euroAmount.meta({ description: "Gross euros a month.", examples: [9.99] }),
    title: shownText("VPS M"),
    memory: z
      .int()
      .nonnegative()
      .meta({ description: "GB.", examples: [8] }),
    storage: z
      .int()
      .nonnegative()
      .meta({ description: "GB.", examples: [160] }),
  })
  .meta({ id: "Plan", description: "A plan to order." });

/** A region (specification §2.5). */
export const region = z
  .object({
    id,
    region: z.string().meta({ description: "Short code.", examples: ["fra"] }),
    location: z.string().meta({ description: "Name of the place.", examples: ["Frankfurt"] }),
  })
  .meta({ id: "Region", description: "Where a server stands." });

/** A distribution that can be installed on a server. */
export const distro = z
  .object({
    id,
    name: z.string().meta({ examples: ["Debian"] }),
    version: z.string().meta({ examples: ["13"] }),
  })
  .meta({ id: "Distro", description: "A distribution that a server can be set up with." });

/** Units of a plan in a region (specification §2.5). */
export const stockEntry = z
  .object({
    stock: z.object({
      plan,
      stock: z
        .int()
        .nonnegative()
        .meta({ description: "Units in stock.", examples: [12] }),
      available: z.boolean(),
    }),
    region,
  })
  .meta({ id: "StockEntry", description: "Units of a plan in a region." });

export const planList = z.array(plan);

export const regionList = z.array(region);

export const distroList = z.array(distro);

export const stockList = z.array(stockEntry);
