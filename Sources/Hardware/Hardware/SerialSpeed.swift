/// The supported speeds of serial ports, in bits per second.
package enum SerialSpeed {
  /// The speeds in bits per second, in the order of a search for the speed of a receiver. The usual default speeds of
  /// receivers come first.
  package static let likeliestFirst = [9600, 115_200, 38_400, 460_800, 57_600, 230_400, 4800, 19_200, 921_600]

  package static let all = likeliestFirst.sorted()
}
