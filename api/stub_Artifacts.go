package api

func (s *Server) registerArtifacts() {}
