/// The features of the daemon, in the order of their findings and their listeners. No other file names them all.
package let featureTypes: [any Feature.Type] = [
  ConsoleFeature.self, ListenFeature.self, MQTTFeature.self, HTTPFeature.self, FileFeature.self, SerialFeature.self,
  GPSDFeature.self, NMEAFeature.self, TimeFeature.self, MetricsFeature.self, PageFeature.self, DisplayFeature.self,
  SoundFeature.self,
]
