import { cruise, type IModule, type IViolation } from "dependency-cruiser";
import ts from "typescript";

import { dependencyRules } from "./dependency-rules.ts";

/** Output of dependency-cruiser. */
export interface Cruised {
  readonly modules: readonly IModule[];
  readonly violations: readonly IViolation[];
}

/** Follows the imports, types included, of the folders that are there, and judges them by the rules of the house. */
export async function cruiseModules(baseDir: string, folders: readonly string[]): Promise<Cruised> {
  const { output } = await cruise(
    [...folders],
    {
      baseDir,
      validate: true,
      ruleSet: { forbidden: [...dependencyRules] },
      doNotFollow: { path: "node_modules" },
      exclude: { path: "/src/gen/" },
      tsPreCompilationDeps: true,
    },
    {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types"],
      extensions: [".ts", ".js", ".json"],
    },
    { tsConfig: ts.parseJsonConfigFileContent({ extends: "./tsconfig.base.json" }, ts.sys, baseDir) },
  );
  if (typeof output === "string") throw new Error("dependency-cruiser answered text instead of its result");
  return { modules: output.modules, violations: output.summary.violations };
}
