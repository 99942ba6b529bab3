// Short sounds of a game, made on the spot; off where the visitor has switched them off.
import { recall, remember } from "./memory.js";

let context = null;

export const isSoundOn = () => recall("sound") !== "off";
export const switchSound = () => remember("sound", isSoundOn() ? "off" : "on");

const NOTES = {
  move: [[330, 0, 0.06]],
  turn: [[330, 0, 0.06], [440, 0.07, 0.08]],
  won: [[440, 0, 0.12], [554, 0.12, 0.12], [659, 0.24, 0.25]],
  lost: [[330, 0, 0.15], [262, 0.16, 0.3]],
  draw: [[392, 0, 0.12], [392, 0.15, 0.2]],
};

export function playSound(name) {
  // Browsers are silent until the visitor has touched the page; what is played before is an error there.
  if (!isSoundOn() || !navigator.userActivation?.hasBeenActive || document.hidden) return;
  context = context || new AudioContext();
  for (const [pitch, start, length] of NOTES[name] || []) {
    const tone = context.createOscillator(), volume = context.createGain();
    const from = context.currentTime + start;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.16, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + length);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + length);
  }
}
