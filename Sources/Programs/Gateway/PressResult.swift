/// The result of a simulated press or hold of the button. The caller creates the object, and the gateway sets `end`.
final class PressResult {
  let button: String
  var end: Outputs.PressEnd?

  init(of button: String) { self.button = button }
}
