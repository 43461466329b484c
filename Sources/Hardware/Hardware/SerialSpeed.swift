/// The speeds of serial ports, bits per second.
package enum SerialSpeed {
  /// In the order in which they are tried where a receiver's is not known: what receivers leave the factory with comes
  /// first.
  package static let likeliestFirst = [9600, 115_200, 38_400, 460_800, 57_600, 230_400, 4800, 19_200, 921_600]

  /// All that a port can be set to, the slowest first.
  package static let all = likeliestFirst.sorted()
}
