import Base
import Decoding
import Testing

@Test(arguments: [
  "$GNRMC,120000.00,A,4722.6", "$", "\u{1}\u{2}", "$GNGGA,120000.00,4722.60000,N,00832.50168,E,1,12,0.9,408.2,M",
])
func `a receiver that falls silent in the middle of a sentence is waited for once`(cut: String) {
  let whole = "$GNGLL,4722.60000,N,00832.50168,E,115959.00,A*06\r\n"
  for start in ["", whole] {
    var decoder = ReceiverDecoder()
    decoder.consume(Array((start + cut).utf8).span, at: at(1000)) { _ in }
    var calls = 0
    while let deadline = decoder.nextDeadline, calls < 10 {
      #expect(deadline > at(1000))
      decoder.idle(at: deadline) { _ in }
      calls += 1
    }
    #expect(calls < 3, "\(start.count)")
  }
}

@Test(arguments: [10, 25, 50, 100])
func `each epoch of sentences is one, however fast they come`(rate: Int) {
  var decoder = ReceiverDecoder()
  var epochs = 0
  for number in 0..<200 {
    let hundredths = number * 100 / rate
    let clock = "1200" + two(hundredths / 100) + "." + two(hundredths % 100)
    let line = sentence("GNRMC,\(clock),A,4722.60000,N,00832.50168,E,1.94,77.5,211126,,,A,V")
    decoder.consume(line.span, at: at(number * 1000 / rate)) { _ in epochs += 1 }
  }
  decoder.finish { _ in epochs += 1 }
  #expect(epochs == 200)
}
