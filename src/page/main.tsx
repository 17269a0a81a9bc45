import { render } from "preact";
import { App } from "./shell/app.tsx";

const place = document.getElementById("page");
if (place) render(<App />, place);
