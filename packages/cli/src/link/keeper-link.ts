// The keeper of a home, for commands: what it holds, and its end.
import { findKeeper } from "@holdfast/terminal/keeper";
