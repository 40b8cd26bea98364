import { test } from "vitest";
import { FakeHost } from "/work/main/packages/core/src/testing/fake-host.ts";
test("x", async () => {
  for (let i=0;i<5;i++){ const t=performance.now(); const h=new FakeHost(); const s=await h.open(); const a=performance.now(); const s2 = await h.open(); const a2=performance.now(); await s.turn("x"); const b=performance.now(); await s.close(); const c=performance.now(); await h.close(); console.log("new+open",(a-t).toFixed(), "second open", (a2-a).toFixed(), "turn",(b-a2).toFixed(), "close session",(c-b).toFixed(),"close host",(performance.now()-c).toFixed()); }
});
