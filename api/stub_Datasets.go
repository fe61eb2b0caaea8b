package api

func (s *Server) registerDatasets() {}
