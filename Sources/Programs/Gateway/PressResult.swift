/// The result of a simulated press or hold, while its caller waits.
final class PressResult {
  let button: String
  var end: Outputs.PressEnd?

  init(of button: String) { self.button = button }
}
