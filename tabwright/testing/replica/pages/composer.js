// The field for the next question, with its buttons.
class Composer {
  constructor(plate) {
    this.box = $(".ITIRGe", plate);
    this.send = $(".uMMzHc", plate);
    this.stop = $(".Z3UdVc", plate);
    this.hidden = this.stop.className;
    this.box.addEventListener("input", () => { this.send.disabled = !this.box.value.trim(); });
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.submit();
    });
    this.send.addEventListener("click", () => this.submit());
    this.stop.addEventListener("click", () => asking?.abort());
  }

  work(working) {
    this.stop.className = working ? "" : this.hidden;
  }

  submit() {
    const question = this.box.value.trim();
    if (this.send.disabled || asking || !question) return;
    this.box.value = "";
    this.send.disabled = true;
    ask("folif", question);
  }
}
